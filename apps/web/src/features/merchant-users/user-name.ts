import { shortId } from '@hufu/contract/merchant-rights'
import type { UserRow } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'

type Named = Pick<UserRow, 'id' | 'nickname' | 'username' | 'mobile'>

/** What somebody is called where one name must do. */
export const callName = ({ id, nickname, username, mobile }: Named) => nickname ?? username ?? mobile ?? shortId(id)

export const personPath = (id: string) => pages.merchantUser.replace(':id', id)
