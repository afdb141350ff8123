import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeBrowser } from '../../web/src/rooms/account/describe-browser.ts';

test('browsers are told apart although they carry the names of others, and programs by their first product', () => {
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0';
  const described = {
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/142.0.0.0`]: 'Edge, Windows',
    [`Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36`]: 'Chrome, Linux',
    [`Mozilla/5.0 (Linux; Android 16) ${chrome} Mobile Safari/537.36`]: 'Chrome, Android',
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0': 'Firefox, Linux',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15':
      'Safari, macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1':
      'Safari, iPhone',
    'curl/8.14.1': 'curl/8.14.1',
    'Python-urllib/3.13 test': 'Python-urllib/3.13',
  };
  for (const [userAgent, name] of Object.entries(described)) assert.equal(describeBrowser(userAgent), name);
});
