export function findBrowser(): Promise<{ path: string; args: string[]; env: Record<string, string> }>;
