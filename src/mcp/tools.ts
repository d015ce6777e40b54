/** All tools, in the order in which they are shown. */
import { commitTool } from './commit-tool.ts';
import { handOverTools } from './hand-over-tools.ts';
import { leaseTools } from './lease-tools.ts';
import type { Tool } from './tool.ts';
import { verifyTool } from './verify-tool.ts';
import { workTools } from './work-tools.ts';

export const tools: readonly Tool[] = [
  ...leaseTools,
  ...handOverTools,
  verifyTool,
  commitTool,
  ...workTools,
];
