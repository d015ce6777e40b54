export async function main(_argv: readonly string[], _env: NodeJS.ProcessEnv): Promise<void> { throw new Error('soon'); }
