export { operatorTabs } from './operator-tabs.ts';
export { operatorTexts } from './operator-texts.ts';
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
