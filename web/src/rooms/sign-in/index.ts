export { signInRoute, signUpRoute } from './routes.ts';
