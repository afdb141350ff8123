import type { FastifyInstance } from 'fastify';
import type { Publication } from '../publication.ts';

export async function referenceRoutes(_app: FastifyInstance, _publication: Publication): Promise<void> {}
