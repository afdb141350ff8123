import type { AgentProgram } from './agent-program.ts';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { opencode } from './opencode.ts';
import { qwen } from './qwen.ts';

export const agentPrograms: readonly AgentProgram[] = [codex, claude, opencode, qwen, cline];
