export { findProject, type Project, type ProjectKind } from './projects.store.ts';
export { createProject, type NewProject } from './projects.ts';
