export {
  type Checked,
  canonicalJson,
  checkExample,
  contentHash,
  type EmbeddingContent,
  type ExampleContent,
  type ExampleKind,
  type ExampleMessage,
  type ExampleTool,
  type ExampleToolCall,
  type Passage,
  type TextContent,
} from './example-content.ts';
export { type Issue, type IssueCode, isFatal } from './issues.ts';
