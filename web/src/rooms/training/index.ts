export { jobStates } from './job-state.ts';
export { jobStateTexts } from './job-state-texts.ts';
export { compareRoute, jobRoute, newJobRoute, trainingRoute } from './routes.ts';
