/** Links within the organization. They keep the mode, so that users do not leave test data unnoticed. */
import type { ComponentChildren, JSX } from 'preact'
import { Link, useLocation } from 'wouter'
import { type Query, queryText } from '../api/client.ts'
import { useMode } from './organization.ts'

type Props = Omit<JSX.IntrinsicElements['a'], 'href' | 'ref'> & {
  /** Below the organization, such as `/orders/123`. */
  to: string
  query?: Query
  children: ComponentChildren
}

export function PageLink({ to, query, children, ...rest }: Props) {
  const address = useAddress()
  return (
    <Link href={address(to, query)} {...(rest as object)}>
      {children}
    </Link>
  )
}

/** @returns builds the address of a page of the organization, with the mode */
export function useAddress(): (to: string, query?: Query) => string {
  const mode = useMode()
  return (to, query) => to + queryText({ ...(mode === 'test' && { mode }), ...query })
}

/** @returns navigates to a page of the organization */
export function useGo(): (to: string, query?: Query) => void {
  const address = useAddress()
  const [, navigate] = useLocation()
  return (to, query) => navigate(address(to, query))
}
