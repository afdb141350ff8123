export { createFeedback, type Feedback, type FeedbackOptions } from './feedback.ts';
export { eventMonths } from './months/event-months.ts';
