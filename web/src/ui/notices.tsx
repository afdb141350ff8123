import { Notifications, notifications } from '@mantine/notifications';

export function Notices() {
  return <Notifications position="bottom-right" limit={3} containerWidth={380} />;
}

export const show = notifications.show;
