export { exampleLanguages, exampleOf } from './call-example.ts';
export { CallExamples } from './call-examples.tsx';
export { CodeTabs } from './code-tabs.tsx';
export { LazyCreateProject } from './lazy-create-project.ts';
export { projectTabs } from './project-tabs.ts';
export {
  baseModelsQuery,
  hostedModelsQuery,
  type Project,
  type ProjectPath,
  projectQuery,
  projectsQuery,
  sharedModelsQuery,
  warmingPollMs,
} from './projects-queries.ts';
export { projectsTexts } from './projects-texts.ts';
export { projectHomeRoute, projectRoute, projectSettingsRoute, projectsRoute } from './routes.ts';
