export { operatorActor } from './operator-contract.ts';
export { peopleRoutes } from './people.routes.ts';
