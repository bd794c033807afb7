import { Notice } from '../../../components/index.ts'

/** Google treats an unspecified mode as `WHITELIST`. */
const UNSET: readonly unknown[] = [undefined, 'PLAY_STORE_MODE_UNSPECIFIED']

export const PlayStoreNotice = ({ policy }: { policy: Record<string, unknown> }) =>
  UNSET.includes(policy['playStoreMode']) && (
    <Notice tone="warn">
      <p>
        Without <code>playStoreMode</code>, Google uses <code>WHITELIST</code> and uninstalls all
        apps that <code>applications</code> does not list.
      </p>
    </Notice>
  )
