export { createEngine } from './engine.ts';
export { defaultSettings, type EngineOptions, type EngineSettings } from './engine-settings.ts';
export { GgufError } from './gguf/bytes.ts';
export { readCapabilities } from './gguf/capabilities.ts';
export { type GgufHeader, readGgufHeader, readGgufHeaderOf } from './gguf/header.ts';
export { modelFiles, readPartName } from './gguf/parts.ts';
export { type GpuSelection, GpuSelector } from './gpu/gpu-selector.ts';
export type { ModelMemory } from './llama/memory-meter.ts';
export type { MemoryBytes } from './llama/memory-protocol.ts';
export {
  type ContextChoice,
  type FileHead,
  ModelPlanner,
  type PlannerOptions,
  usualContextTokens,
} from './llama/model-planner.ts';
export type {
  Adapter,
  ChatImage,
  ChatMessage,
  ChatPrompt,
  Delta,
  Embedded,
  Engine,
  EngineModel,
  Finished,
  KvType,
  LogitBias,
  PreparedChat,
  PreparedEmbedding,
  ReasoningEffort,
  ResponseFormat,
  RuntimeStatus,
  Sampling,
  Target,
  TokenizeInput,
  TokenLogprob,
  TokenProbability,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  Usage,
  UserPart,
} from './port.ts';
export { kvTypes } from './port.ts';
export { type AdapterProbe, createAdapterProbe } from './probe/adapter-probe.ts';
export { type DialectName, dialectNames, engineDialects, isDialectName } from './remote/dialects/index.ts';
export { createRemoteEngine, createRoutedEngine } from './remote/remote-engine.ts';
export type { ServingRoute } from './remote/serving-route.ts';
export { imagesOf, messageToWire, toolChoiceToWire, toolToWire } from './remote/wire.ts';
export type { TemplateCapabilities } from './text/formats/capabilities.ts';
export { createItemCounter, type ItemCounter } from './tokens/item-counter.ts';
export {
  createExampleEncoder,
  createTokenCounter,
  type ExampleEncoder,
  type TokenCounter,
} from './tokens/token-counter.ts';
export type { Countable, CountingBasis, Encoded, TokenCount } from './tokens/vocabulary-protocol.ts';
