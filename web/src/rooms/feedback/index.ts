export { feedbackRoute } from './routes.ts';
