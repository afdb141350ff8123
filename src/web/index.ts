export { buildSite, openSite, type Site } from './site.ts';
export { answerStranger, webRoutes } from './web.routes.ts';
