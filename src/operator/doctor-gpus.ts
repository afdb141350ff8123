import type { GpuSelection } from '#engine';

/** Prints what models run on, and what other backends lack. It is a problem only where the operator named a backend that cannot be used. */
export function checkGpus(
  { chosen, rejected, driver, setting }: GpuSelection,
  print: (line: string) => void,
): string[] {
  const lines = rejected.map(({ label, reason, help }) => {
    const [first = ''] = reason.split('\n');
    return `${label} cannot be used: ${first}${help === null ? '' : `. This may help: ${help}`}`;
  });
  if (chosen === null && setting !== 'auto' && setting !== 'off')
    return lines.map((line) => `gpu: FANFOLD_ENGINE_GPU is ${setting}, and ${line}`);
  for (const line of lines) print(`gpu: ${line}`);
  if (chosen) {
    const { label, devices } = chosen;
    const memory = `${(devices.totalBytes / 1e9).toFixed(1)} GB`;
    print(
      `gpu: models run on ${label} (${devices.names.join(', ')}, ${memory}${driver === null ? '' : `, driver ${driver}`})`,
    );
  } else if (setting === 'off') print('gpu: FANFOLD_ENGINE_GPU is off, models run on the CPU');
  else print(lines.length > 0 ? 'gpu: models run on the CPU' : 'gpu: there is none, models run on the CPU');
  return [];
}
