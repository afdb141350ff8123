import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Processes as a test needs them to kill the right one; Linux. */

/** Direct children of a process. */
export function childrenOf(pid: number): number[] {
  return allPids().filter((child) => parentOf(child) === pid);
}

/** The command lines of all processes. */
export function allCommands(): string[] {
  return allPids().map(commandOf);
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The command line; empty for a process that is gone. */
export function commandOf(pid: number): string {
  return readProc(pid, 'cmdline').replaceAll('\0', ' ');
}

/** The embedded PostgreSQL of a data folder. */
export function postmasterOf(dataDir: string): number {
  const text = readFileSync(path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
  return Number(text.split('\n', 1)[0]);
}

function parentOf(pid: number): number | null {
  const stat = readProc(pid, 'stat');
  return stat === '' ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
