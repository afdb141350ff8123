export { removeFeedbackOf } from './deleted-projects.ts';
export { createFeedback } from './feedback.ts';
export { checkEvents } from './months/event-doctor.store.ts';
export { eventMonths } from './months/event-months.ts';
