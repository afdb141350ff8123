export type { EmbeddingContent, Split, TextContent } from './example.ts';
export { ExampleSummary } from './example-summary.tsx';
export { ExampleView, type TextLocation } from './example-view.tsx';
export { examplesTexts } from './examples-texts.ts';
export { IssueList, useIssueLocation, useIssueText } from './issue-list.tsx';
export { issueTexts } from './issue-texts.ts';
export { examplesRoute } from './routes.ts';
