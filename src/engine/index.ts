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
