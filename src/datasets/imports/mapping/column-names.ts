/**
 * Names that columns have in common formats, and in the languages of many spreadsheets. An earlier name wins where a
 * file has several. Written as people write them: `columnKey` compares.
 */

const questions = [
  ...['question', 'query', 'q', 'questions', 'question text', 'user question', 'ask', 'faq question', 'faq'],
  ...['frage', 'fragen', 'question posée', 'pregunta', 'pergunta', 'domanda', 'vraag', '问题', '提问', '質問', '問題'],
  ...[
    'вопрос',
    'питання',
    'pytanie',
    'otázka',
    'kérdés',
    'întrebare',
    'ερώτηση',
    'soru',
    'fråga',
    'spørgsmål',
    'spørsmål',
  ],
  ...['kysymys', 'السؤال', 'سؤال', 'שאלה', 'سوال', 'सवाल', 'प्रश्न', 'câu hỏi', 'pertanyaan', 'คำถาม', '질문'],
];

const answers = [
  ...['answer', 'a', 'answers', 'answer text', 'response', 'reply', 'ideal answer', 'expected answer'],
  ...['correct answer', 'best answer', 'reference answer', 'final answer', 'faq answer', 'ground truth'],
  ...[
    'antwort',
    'antworten',
    'réponse',
    'respuesta',
    'resposta',
    'risposta',
    'antwoord',
    '答案',
    '回答',
    '回复',
    '答え',
  ],
  ...[
    'ответ',
    'відповідь',
    'odpowiedź',
    'odpověď',
    'odpoveď',
    'válasz',
    'răspuns',
    'απάντηση',
    'cevap',
    'yanıt',
    'svar',
  ],
  ...[
    'vastaus',
    'الجواب',
    'جواب',
    'الإجابة',
    'תשובה',
    'जवाब',
    'उत्तर',
    'câu trả lời',
    'jawaban',
    'คำตอบ',
    '답변',
    '대답',
  ],
];

const prompts = [
  ...['prompt', 'input', 'user', 'instruction', 'instructions', 'prompts', 'inputs', 'input text', 'user prompt'],
  ...['user input', 'user message', 'human', 'request', 'source', 'message', 'utterance'],
  ...['eingabe', 'anweisung', 'anfrage', 'nutzer', 'benutzer', 'entrée', 'entrada', '输入', '指令', '提示', '用户'],
];

const completions = [
  ...['completion', 'response', 'output', 'assistant', 'chosen', 'completions', 'responses', 'outputs'],
  ...['output text', 'expected output', 'ideal output', 'ideal', 'model', 'assistant response', 'assistant message'],
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

/** Of tickets and e-mails. */
const cases = [
  ...['ticket description', 'issue description', 'problem description', 'email body', 'ticket', 'issue', 'problem'],
  ...['inquiry', 'enquiry', 'body', 'email', 'description', 'beschreibung', 'anliegen', 'demande', 'consulta'],
];

const solutions = [
  ...['resolution', 'solution', 'reply body', 'lösung', 'solución', 'solução', 'soluzione', 'oplossing', '解决方案'],
];

/** What asks and what answers, for each shape; the names of one row belong together. */
export const turnNames = [
  { shape: 'prompt_completion', asks: prompts, answers: completions },
  { shape: 'question_answer', asks: questions, answers },
  { shape: 'question_answer', asks: customers, answers: agents },
  { shape: 'question_answer', asks: cases, answers: solutions },
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

/**
 * Words that say what a column holds, for names that are made of several: "Antwort des Mitarbeiters", "question_en". What it says is
 * surer than who says it.
 */
export const turnWords = {
  asks: [...questions, 'inquiry', 'enquiry', 'prompt', 'instruction', 'anfrage'],
  answers: [...answers, ...solutions, 'completion', 'output'],
  asking: [...customers, 'kunden', 'user', 'human', 'nutzer', 'clientes', 'klant', 'клиент', 'client'],
  answering: [...agents, 'assistant', 'bot', 'company'],
};

/** With one of these words, a name is that of something about a text. */
export const metaWords = [
  ...[
    'id',
    'ids',
    'key',
    'date',
    'time',
    'timestamp',
    'type',
    'kind',
    'category',
    'topic',
    'tag',
    'tags',
    'label',
    'number',
  ],
  ...['nr', 'no', 'count', 'score', 'rating', 'length', 'tokens', 'status', 'state', 'url', 'link', 'lang', 'language'],
  ...['author', 'name', 'by', 'at', 'source', 'title', 'titel', 'datum', 'kategorie', 'typ', 'anzahl', 'fecha', 'tipo'],
];

/** Equal for names that differ in case, accents, spaces and punctuation only. */
export function columnKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\p{M}\p{P}\p{S}\p{Z}\s]/gu, '')
    .toLowerCase();
}
