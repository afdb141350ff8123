import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A stand-in for the part of Stripe that is used: checkout sessions over its HTTP API, and signed webhooks. It keeps to
 * what Stripe documents: form bodies, Bearer keys, idempotency keys, its error envelope, `t=...,v1=...` signatures.
 */
export type StripeServer = {
  url: string;
  sessions: Map<string, StripeSession>;
  /** Requests that came, as `POST /v1/...`. */
  requests: string[];
  /** How it answers from now on. */
  mood: { value: 'well' | 'down' | 'broken' };
  /** The buyer pays: at once, or through a bank that takes its time. */
  pay: (sessionId: string, how?: 'at_once' | 'slowly') => StripeSession;
  /** What the bank says in the end. */
  settle: (sessionId: string, success: boolean) => StripeSession;
  expire: (sessionId: string) => StripeSession;
  /** An event about a session as it is now. */
  event: (type: string, sessionId: string) => object;
  /** Sends an event to a webhook, signed; gives the status of the answer. */
  send: (webhook: string, event: object, options?: { secret?: string; at?: number }) => Promise<number>;
  stop: () => Promise<void>;
};

export type StripeSession = {
  id: string;
  object: 'checkout.session';
  mode: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  payment_intent: { id: string; object: 'payment_intent'; status: string } | null;
  amount_subtotal: number;
  amount_total: number;
  currency: string;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  success_url: string;
  cancel_url: string | null;
  url: string | null;
  created: number;
  expires_at: number;
  livemode: false;
};

type Reply = { status: number; body: object };
type State = { secretKey: string; sessions: Map<string, StripeSession>; byKey: Map<string, Reply> };

const daySeconds = 24 * 3_600;
const seconds = () => Math.floor(Date.now() / 1_000);
const id = (prefix: string) => `${prefix}_test_${randomBytes(12).toString('hex')}`;

export async function startStripe({ secretKey, webhookSecret }: { secretKey: string; webhookSecret: string }) {
  const state: State = { secretKey, sessions: new Map(), byKey: new Map() };
  const requests: string[] = [];
  const mood: StripeServer['mood'] = { value: 'well' };

  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (mood.value === 'down') return void request.socket.destroy();
    const form = await readForm(request);
    const reply = mood.value === 'broken' ? refusal(500, 'api_error', 'broken') : answer(state, request, form);
    send(response, reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const change = (sessionId: string, fields: Partial<StripeSession>): StripeSession => {
    const session = { ...sessionOf(state, sessionId), ...fields };
    state.sessions.set(sessionId, session);
    return session;
  };
  const intent = (status: string) => ({ id: id('pi'), object: 'payment_intent' as const, status });
  const stripe: StripeServer = {
    url: `http://127.0.0.1:${port}`,
    sessions: state.sessions,
    requests,
    mood,
    pay: (sessionId, how = 'at_once') =>
      change(sessionId, {
        status: 'complete',
        payment_status: how === 'at_once' ? 'paid' : 'unpaid',
        payment_intent: intent(how === 'at_once' ? 'succeeded' : 'processing'),
        url: null,
      }),
    settle: (sessionId, success) =>
      change(
        sessionId,
        success
          ? { payment_status: 'paid', payment_intent: intent('succeeded') }
          : { payment_intent: intent('requires_payment_method') },
      ),
    expire: (sessionId) => change(sessionId, { status: 'expired', url: null }),
    event: (type, sessionId) => ({
      id: id('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: seconds(),
      livemode: false,
      pending_webhooks: 1,
      request: null,
      type,
      data: { object: { ...sessionOf(state, sessionId), payment_intent: null } },
    }),
    async send(webhook, event, { secret = webhookSecret, at = seconds() } = {}) {
      const body = JSON.stringify(event, null, 2);
      const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
      const response = await fetch(webhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': `t=${at},v1=${signature}` },
        body,
      });
      await response.arrayBuffer();
      return response.status;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
  return stripe;
}

function answer(state: State, request: IncomingMessage, form: URLSearchParams): Reply {
  if (request.headers.authorization !== `Bearer ${state.secretKey}`)
    return refusal(401, 'invalid_request_error', 'Invalid API Key provided');
  const [path = ''] = (request.url ?? '').split('?');
  const [, sessionId, verb] = /^\/v1\/checkout\/sessions(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
  if (request.method === 'POST' && sessionId === undefined) return createOnce(state, request, form);
  const session = state.sessions.get(sessionId ?? '');
  if (!session) return refusal(404, 'invalid_request_error', 'No such checkout.session', 'resource_missing');
  if (request.method === 'GET' && verb === undefined) return { status: 200, body: session };
  if (verb !== 'expire' || session.status !== 'open')
    return refusal(400, 'invalid_request_error', 'Only open sessions can be expired.');
  session.status = 'expired';
  session.url = null;
  return { status: 200, body: session };
}

function createOnce(state: State, request: IncomingMessage, form: URLSearchParams): Reply {
  const key = String(request.headers['idempotency-key'] ?? '');
  const known = state.byKey.get(key);
  if (known) return known;
  const reply = create(state, form);
  state.byKey.set(key, reply);
  return reply;
}

function create(state: State, form: URLSearchParams): Reply {
  const price = 'line_items[0][price_data]';
  const amount = Number(form.get(`${price}[unit_amount]`)) * Number(form.get('line_items[0][quantity]'));
  const currency = form.get(`${price}[currency]`) ?? '';
  if (form.get('mode') !== 'payment' || !/^[a-z]{3}$/.test(currency) || !form.get(`${price}[product_data][name]`))
    return refusal(400, 'invalid_request_error', 'Missing required param.', 'parameter_missing');
  if (!(amount >= 50)) return refusal(400, 'invalid_request_error', 'The amount is too small.', 'amount_too_small');
  const session: StripeSession = {
    id: id('cs'),
    object: 'checkout.session',
    mode: 'payment',
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
    amount_subtotal: amount,
    amount_total: amount,
    currency,
    client_reference_id: form.get('client_reference_id'),
    metadata: { checkout_id: form.get('metadata[checkout_id]') ?? '' },
    success_url: form.get('success_url') ?? '',
    cancel_url: form.get('cancel_url'),
    url: `https://checkout.stripe.example/c/pay/${randomBytes(6).toString('hex')}`,
    created: seconds(),
    expires_at: seconds() + daySeconds,
    livemode: false,
  };
  state.sessions.set(session.id, session);
  return { status: 200, body: session };
}

function sessionOf(state: State, sessionId: string): StripeSession {
  const session = state.sessions.get(sessionId);
  if (!session) throw new Error(`There is no session ${sessionId}.`);
  return session;
}

function refusal(status: number, type: string, message: string, code?: string): Reply {
  return { status, body: { error: { type, message, ...(code === undefined ? {} : { code }) } } };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': id('req') });
  response.end(JSON.stringify(body));
}
