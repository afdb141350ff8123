export { createFeedback, type Feedback, type FeedbackOptions } from './feedback.ts';
