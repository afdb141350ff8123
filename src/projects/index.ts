export type { ProjectSeen } from './access.store.ts';
export {
  changeOwnProject,
  type ProjectPath,
  projectPathOf,
  projectPrefix,
  readOwnProject,
  seeProject,
} from './access.ts';
export { archiveProjectsOf } from './deletion/deletion.store.ts';
export { createProjectRemoval, type ProjectRemoval, type ProjectRemovalStep } from './deletion/project-removal.ts';
export { deleteProjectsOf } from './deletion/projects-of-account.ts';
export type { ListedProject } from './project-list.store.ts';
export { listProjects } from './project-list.ts';
export { projectsRoutes } from './projects.routes.ts';
export { inferenceBaseUrl } from './projects.schema.ts';
export type { ProjectKind } from './projects.store.ts';
export { createProject, type NewProject } from './projects.ts';
export type { CancelableWork, RunningWork } from './running-work.ts';
