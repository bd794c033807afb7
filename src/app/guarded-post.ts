/** Requests to URLs that customers chose, within the settings of the operator. */
import { readAllowList } from '../platform/net/allow-list.ts'
import { createGuardedPost, type GuardedPost } from '../platform/net/guarded-post.ts'
import type { Core } from './core.ts'

const CONNECT_TIMEOUT_MS = 5000

export const openGuardedPost = ({ config, outside }: Core): GuardedPost =>
  createGuardedPost({
    allow: readAllowList(config.webhook_allow),
    deny: config.webhook_deny,
    dns_servers: config.dns_servers,
    resolve_timeout_ms: config.lookup_timeout_ms,
    connect_timeout_ms: CONNECT_TIMEOUT_MS,
    ca: outside.webhook_ca,
  })
