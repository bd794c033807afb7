import { useLocation, useSearch } from 'wouter'
import type { ApiError } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { SelectField } from '../components/fields.tsx'
import { Icon } from '../components/icon.tsx'
import { useToasts } from '../components/toasts.tsx'
import { isInUtc, zoneName } from '../components/zone.ts'
import { useSession } from '../session/context.ts'
import { PageLink } from './links.tsx'
import { useMedia, WITHOUT_MENU } from './media.ts'
import { type Mode, useMe, useMode, useOrg } from './organization.ts'
import { SearchButton } from './search/search-button.tsx'
import { ThemeButton } from './theme.tsx'

/** Shows the zone of all times and filters, and switches it. */
function ZoneButton({ onZone }: Pick<HeadProps, 'onZone'>) {
  const isUtc = isInUtc()
  return (
    <Button
      kind="quiet"
      class="head-zone"
      title={`Times and filters: ${zoneName()}`}
      aria-label={`Time zone: ${isUtc ? 'UTC' : 'local'}`}
      onClick={() => onZone(!isUtc)}
    >
      {isUtc ? 'UTC' : 'Local time'}
    </Button>
  )
}

const MODES = [
  { value: 'live', label: 'Live data' },
  { value: 'test', label: 'Test data' },
] as const

type HeadProps = { isMenuOpen: boolean; onMenu: () => void; onZone: (isUtc: boolean) => void }

export function Head({ isMenuOpen, onMenu, onZone }: HeadProps) {
  const { organizations } = useMe()
  const isNarrow = useMedia(WITHOUT_MENU)
  const org = useOrg()
  const mode = useMode()
  const [path, navigate] = useLocation()
  const search = useSearch()

  const choose = (next: Mode) => {
    const query = new URLSearchParams(search)
    query.delete('mode')
    if (next === 'test') query.set('mode', next)
    navigate(query.size === 0 ? path : `${path}?${query.toString()}`)
  }

  return (
    <header class="head">
      <Button
        kind="quiet"
        class="head-menu"
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={onMenu}
      >
        <Icon sign="menu" />
        <span class="visually-hidden">Menu</span>
      </Button>
      <SelectField
        label="Organization"
        hideLabel
        value={org.id}
        options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => navigate(`~/console/o/${id}`)}
      />
      <SelectField label="Mode" hideLabel value={mode} options={MODES} onChange={choose} />
      {mode === 'test' && <span class="head-test">Test data</span>}
      <span class="head-gap" />
      <SearchButton />
      {!isNarrow && <OwnTools onZone={onZone} />}
    </header>
  )
}

/** What concerns the person rather than the organization; narrow windows have it in the menu. */
export function OwnTools({ onZone }: Pick<HeadProps, 'onZone'>) {
  const { email } = useMe()
  const session = useSession()
  const toasts = useToasts()

  const signOut = () =>
    void session
      .signOut()
      .then((url) => url !== undefined && window.location.assign(url))
      .catch(({ message }: ApiError) => toasts.warn(`You are still signed in. ${message}`))

  return (
    <>
      <ZoneButton onZone={onZone} />
      <ThemeButton />
      <PageLink to="/profile" class="head-user" title={email}>
        {email}
      </PageLink>
      <Button kind="quiet" onClick={signOut}>
        Sign out
      </Button>
    </>
  )
}
