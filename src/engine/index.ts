export { createEngine, defaultSettings, type EngineOptions, type EngineSettings } from './engine.ts';
export { GgufError } from './gguf/bytes.ts';
export { type GgufHeader, readGgufHeader } from './gguf/header.ts';
export type {
  Adapter,
  ChatMessage,
  ChatPrompt,
  Delta,
  Embedded,
  EmbeddingInputs,
  Engine,
  EngineModel,
  Finished,
  Generation,
  Load,
  Pace,
  PreparedChat,
  PreparedEmbedding,
  ReasoningEffort,
  ResponseFormat,
  RuntimeStatus,
  Sampling,
  Target,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  Usage,
} from './port.ts';
export type { Countable, TokenCount } from './tokens/counter-protocol.ts';
export { createTokenCounter, type TokenCounter, type TokenCounterOptions } from './tokens/token-counter.ts';
