import { ActionIcon, Menu } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { copyText } from '../../ui/clipboard.ts';
import { IconChartLine, IconCopy, IconDots, IconDownload, IconFileText, IconHistory } from '../../ui/icons.tsx';
import { type Version, versionName } from '../data/index.ts';
import { downloadAddress } from './versions-queries.ts';
import { versionsTexts } from './versions-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project/data/$dataset/versions');

export function VersionMenu({ version: { id, number, sha256 } }: { version: Version }) {
  const t = useTexts(versionsTexts);
  const at = route.useParams();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label={t.more(versionName(number))}>
          <IconDots />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconFileText size={16} />}
          renderRoot={(props) => (
            <Link {...props} to="/projects/$owner/$project/data/$dataset" params={at} search={{ version: id }} />
          )}
        >
          {t.show}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHistory size={16} />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/projects/$owner/$project/data/$dataset/versions"
              params={at}
              search={{ version: id }}
            />
          )}
        >
          {t.compare}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconChartLine size={16} />}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/projects/$owner/$project/training-jobs/new"
              params={at}
              search={{ dataset: at.dataset, version: id }}
            />
          )}
        >
          {t.train}
        </Menu.Item>
        <Menu.Item component="a" href={downloadAddress(at, id)} download leftSection={<IconDownload size={16} />}>
          {t.download}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => void copyText(sha256)}>
          {t.copyDigest}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
