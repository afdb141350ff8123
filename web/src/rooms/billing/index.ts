export { creditsQuery } from './billing-queries.ts';
export { checkoutRoute, creditsRoute, pricesRoute } from './routes.ts';
