export {
  operatorHealthRoute,
  operatorHomeRoute,
  operatorModelsRoute,
  operatorPeopleRoute,
  operatorRoute,
  operatorRoutesRoute,
  operatorSettingsRoute,
  operatorWorkRoute,
} from './routes.ts';
