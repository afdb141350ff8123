/**
 * Names that columns have in common formats, and in the languages of many spreadsheets. An earlier name wins where a
 * file has several. Written as people write them: `columnKey` compares.
 */

const questions = [
  ...['question', 'query', 'q', 'questions', 'question text', 'user question', 'ask', 'faq question'],
  ...['frage', 'fragen', 'question posée', 'pregunta', 'pergunta', 'domanda', 'vraag', '问题', '提问', '質問'],
];

const answers = [
  ...['answer', 'a', 'answers', 'answer text', 'response', 'reply', 'ideal answer', 'expected answer'],
  ...['correct answer', 'best answer', 'reference answer', 'final answer', 'faq answer', 'ground truth'],
  ...['antwort', 'antworten', 'réponse', 'respuesta', 'resposta', 'risposta', 'antwoord', '答案', '回答', '回复'],
];

const prompts = [
  ...['prompt', 'input', 'user', 'instruction', 'instructions', 'prompts', 'inputs', 'input text', 'user prompt'],
  ...['user input', 'user message', 'human', 'request', 'source', 'message', 'utterance'],
  ...['eingabe', 'anweisung', 'anfrage', 'nutzer', 'benutzer', 'entrée', 'entrada', '输入', '指令', '提示', '用户'],
];

const completions = [
  ...['completion', 'response', 'output', 'assistant', 'chosen', 'completions', 'responses', 'outputs'],
  ...['output text', 'expected output', 'ideal output', 'ideal', 'assistant response', 'assistant message'],
  ...['model response', 'model output', 'bot', 'bot response', 'ai', 'gpt', 'reply', 'target', 'generation', 'result'],
  ...['ausgabe', 'assistent', 'sortie', 'salida', 'saída', '输出', '助手', '响应'],
];

const customers = [
  ...['customer', 'client', 'customer message', 'customer question', 'customer query', 'customer request', 'visitor'],
  ...['kunde', 'kundin', 'kundenanfrage', 'kundenfrage', 'cliente', '客户', '顾客'],
];

const agents = [
  ...['agent', 'support', 'agent response', 'agent reply', 'agent message', 'agent answer', 'support response'],
  ...['support reply', 'support agent', 'operator', 'representative'],
  ...['mitarbeiter', 'berater', 'supportantwort', 'agente', '客服', '坐席'],
];

/** What asks and what answers, for each shape; the names of one row belong together. */
export const turnNames = [
  { shape: 'prompt_completion', asks: prompts, answers: completions },
  { shape: 'question_answer', asks: questions, answers },
  { shape: 'question_answer', asks: customers, answers: agents },
] as const;

export const alpacaNames = {
  instruction: ['instruction', 'instructions', 'anweisung', '指令'],
  output: ['output', 'response', 'outputs', 'expected output', 'ausgabe', 'antwort', '输出'],
  input: ['input', 'context', 'inputs', 'eingabe', 'kontext', '输入'],
};

export const conversationNames = {
  messages: ['messages', 'conversations', 'conversation', 'dialog', 'dialogue', 'chat', 'turns'],
  system: ['system', 'system prompt', 'system message'],
  tools: ['tools', 'functions'],
};

export const splitNames = ['split', 'subset'];

export const searchNames = {
  query: [
    ...['query', 'anchor', 'question', 'sentence1', 'sentence a', 'text1', 'text a', 'queries', 'query text'],
    ...['search', 'search query', 'search term', 'q', 'suchanfrage', 'suchbegriff'],
    ...questions,
  ],
  positive: [
    ...['positive', 'positives', 'pos', 'document', 'passage', 'answer', 'sentence2', 'sentence b', 'text2', 'text b'],
    ...['positive document', 'positive passage', 'positive passages', 'relevant', 'relevant document', 'documents'],
    ...['doc', 'passages', 'chunk', 'context', 'text', 'content', 'dokument', 'treffer', 'textstelle', '文档', '段落'],
    ...answers,
  ],
  negative: [
    ...['negative', 'negatives', 'neg', 'hard negative', 'hard negatives', 'negative document', 'negative passage'],
    ...['negative passages', 'irrelevant', 'irrelevant document', 'negativ'],
  ],
};

/** Equal for names that differ in case, accents, spaces, `_`, `-` or `.` only. */
export function columnKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\s_.-]/gu, '')
    .toLowerCase();
}
