export { endNow, receiveMessages, sendToParent, serveRequests } from './child-program.ts';
export { childEnvironment, type ProcessEnvironment } from './environment.ts';
export type { ManagedProcess, ProcessExit } from './managed-process.ts';
export { NodeProcess, type NodeProcessOptions, nodeCommand } from './node-process.ts';
export { isProcessRunning, signalGroup } from './process-group.ts';
export { ProcessGoneError, RequestProcess } from './request-process.ts';
export { type StartOptions, startProcess } from './start-process.ts';
