export function artifactKeys({ jobId, attempt }: { jobId: string; attempt: number }) {
  const folder = `training/jobs/${jobId}/${attempt}`;
  return { adapter: `${folder}/adapter.gguf`, archive: `${folder}/lora.zip`, manifest: `${folder}/manifest.json` };
}
