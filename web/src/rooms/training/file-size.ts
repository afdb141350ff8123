const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function fileSize(bytes: number, format: (value: number) => string): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${format(bytes / 1024 ** power)} ${units[power] ?? ''}`;
}
