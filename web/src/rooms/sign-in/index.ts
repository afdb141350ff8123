export { joinRoute, signInRoute, signUpRoute } from './routes.ts';
