export { examine } from './doctor.ts';
export { listModelUses } from './model-uses.ts';
export { operatorModelsRoutes } from './models.routes.ts';
export { operatorActor } from './operator-contract.ts';
export { peopleRoutes } from './people.routes.ts';
export { systemRoutes } from './system.routes.ts';
