import { type ErrorEnvelope, openAiErrors } from '#http';

/** Of Cohere's interface, the message and the id of the request; and beside them the error as other compatible routes report it. */
export const cohereErrors: ErrorEnvelope = {
  ...openAiErrors,
  name: 'CohereError',
  paths: /^\/api\/projects\/[^/]+\/[^/]+\/cohere(?:\/|$)/,
  render: (problem, requestId) =>
    JSON.stringify({
      id: requestId,
      message: problem.message,
      ...JSON.parse(openAiErrors.render(problem, requestId)),
    }),
  schema: {
    ...openAiErrors.schema,
    required: ['id', 'message', 'error'],
    properties: {
      id: { type: 'string', description: 'Id of the request.' },
      message: { type: 'string', description: 'What went wrong, for people.' },
      ...Object(openAiErrors.schema['properties']),
    },
  },
};
