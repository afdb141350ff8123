export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** What every child process may know of the server's environment. Everything else (keys, the database URL) stays out. */
const allowed = /^(PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|LD_LIBRARY_PATH)$/i;

/** What some child processes need beside it. */
const groups = {
  /** A Node program that finds its modules compiled starts in half the time. */
  node: /^NODE_COMPILE_CACHE$/,
  accelerators: /^(CUDA|NVIDIA|NCCL|HIP|ROCR|HSA|VK|OMP|GGML|PYTORCH)_\w+$/i,
  aws: /^AWS_\w+$/,
  /** What `pip` needs to reach an index. */
  pip: /^(PYTHON|PIP_\w+|TORCH_INDEX_URL|(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE)$/i,
};

/** The environment of a child process: the names of the allow-list, and of the given groups. */
export function childEnvironment(
  environment: ProcessEnvironment,
  ...extra: readonly (keyof typeof groups)[]
): Record<string, string> {
  const patterns = [allowed, ...extra.map((group) => groups[group])];
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && patterns.some((pattern) => pattern.test(name))) passed[name] = value;
  return passed;
}
