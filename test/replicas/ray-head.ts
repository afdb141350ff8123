import path from 'node:path';
import { RayClient } from '../../src/training/runners/ray-client.ts';
import { installRay } from '../../src/training/runners/ray-cluster.fixture.ts';
import { Machine } from './machine.ts';
import type { Place } from './network.ts';

export type RayHead = { machine: Machine; url: string; token: string };

const token = 'a-token-of-the-cluster-that-is-long-enough';
const dashboardPort = 8265;

/** `ray start --head` on a machine of its own, with Ray's own ports. `folder` must have a short path: sockets lie in it. */
export async function createRayHead(place: Place, folder: string): Promise<RayHead> {
  const { bin, ...missing } = await installRay();
  if (bin === null) throw new Error(`Ray cannot be installed: ${JSON.stringify(missing)}`);
  const url = `http://${place.host}:${dashboardPort}`;
  const machine = new Machine({
    name: 'ray-1',
    place,
    launch: async () => ({
      args: [
        ...[path.join(bin, 'python'), path.join(bin, 'ray'), 'start', '--head', '--block', '--disable-usage-stats'],
        ...[`--node-ip-address=${place.host}`, `--dashboard-host=${place.host}`, `--dashboard-port=${dashboardPort}`],
        ...['--num-cpus=2', '--object-store-memory=80000000', `--temp-dir=${folder}`],
      ],
      environment: {
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: folder,
        LANG: 'C.UTF-8',
        RAY_AUTH_MODE: 'token',
        RAY_AUTH_TOKEN: token,
      },
    }),
    isReady: () =>
      new RayClient({ url, token }).find('nobody').then(
        () => true,
        () => false,
      ),
    leavesChildren: true,
  });
  return { machine, url, token };
}
