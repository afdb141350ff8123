export type Tag = { name: string; title: string; text: string };

const tag = (name: string, title: string, text: string): Tag => ({ name, title, text });

/** Groups of operations, in the order in which a reader meets them. */
export const tags: readonly Tag[] = [
  tag(
    'inference',
    'Inference',
    'Calls of the models of a project, in the shapes that the clients of OpenAI and Anthropic speak: change the base URL and the key, nothing else.',
  ),
  tag(
    'projects',
    'Projects',
    'A project groups hosted models and data, and is the address of calls. Its kind, text or embedding, is fixed.',
  ),
  tag(
    'hosted_models',
    'Hosted models',
    'Aliases of a project that stand for a base model or a finished training job, at a frozen rate, with their revisions and shares.',
  ),
  tag('chats', 'Playground', 'Conversations that are kept, each answer with the exact request that it came from.'),
  tag('saved_calls', 'Saved calls', 'Text calls that a project keeps because its owner turned that on.'),
  tag('datasets', 'Datasets', 'Examples to learn from, and versions: frozen states of a dataset that never change.'),
  tag(
    'imports',
    'Imports',
    'Files on their way into a dataset: uploaded, read in full, previewed, confirmed, and imported all or nothing.',
  ),
  tag(
    'retrieval_events',
    'Search feedback',
    'What a search showed and what people did with it. Promoted events become examples, and nothing else does.',
  ),
  tag(
    'training_jobs',
    'Training jobs',
    'LoRA adapters that are learned from a frozen version of a dataset, and can be called as soon as they are done.',
  ),
  tag('models', 'Models', 'Every model that the account can see, wherever it comes from, with how to call it.'),
  tag('base_models', 'Base models', 'The catalogue of models that hosted models and training start from.'),
  tag('pricing', 'Pricing', 'Rates and what a call would cost; for everybody.'),
  tag('credits', 'Credits', 'Balance, ledger and purchases of the account.'),
  tag('requests', 'Requests', 'What became of a call, by its request id.'),
  tag('account', 'Account', 'The account of the caller, its profile and its sessions.'),
  tag(
    'keys',
    'API keys',
    'Keys of the account. A key works with every project that the account may access; it is shown once, when it is made.',
  ),
  tag('limits', 'Limits', 'What a key or the account may call and spend at most; none unless it is set.'),
  tag('dashboard', 'Dashboard', 'The state of the account at a glance.'),
  tag('activity', 'Activity', 'What happened to the account and its projects.'),
  tag('guides', 'Guides', 'The guides of this release, as Markdown; for everybody.'),
  tag(
    'operator',
    'Operator',
    'Models, serving routes, people and the state of this installation, for signed-in accounts with the role `admin`. Not part of the interface that clients rely on: it may change with a release.',
  ),
  tag(
    'contract',
    'Contract',
    'This contract, for programs: as a whole in two languages, and one document for each operation.',
  ),
];
