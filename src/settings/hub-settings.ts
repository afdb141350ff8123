import { httpAddress, type SettingsOf, words } from './setting.ts';

export type HubValues = {
  hubEndpoint: string;
  hubToken: string | null;
};

export const hubSettings: SettingsOf<HubValues> = {
  hubEndpoint: {
    env: 'HF_ENDPOINT',
    fallback: 'https://huggingface.co',
    expected: 'the http address of a model hub',
    read: httpAddress,
  },
  hubToken: { env: 'HF_TOKEN', fallback: null, expected: 'an access token', read: words },
};
