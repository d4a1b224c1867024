import './login-page.css'
import type { FactorRequired } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import type { LoginMethod } from '@hufu/contract/site'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, use, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { usePasskeys, usePasskeysInFields } from '../../../identity/factor/passkey-support.ts'
import { openingNumber } from '../../../identity/verify-code/mobile-receiver.ts'
import type { Failure } from '../../../lib/call/failure.ts'
import { useDevice } from '../../../lib/device/device.ts'
import { isWeChat, regionOf } from '../../../lib/device/device-rules.ts'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { afterLogin, isBinding, isOwnPage, sourceIn } from '../../../session/login-source.ts'
import { sendUpPreference } from '../../../session/preference.api.ts'
import { useUser, visitorQuery } from '../../../session/profile.api.ts'
import { lastReceiver } from '../../../session/sent-codes.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { useSite } from '../../../site/site.store.ts'
import { Checkbox } from '../../../ui/fields/checkbox.tsx'
import { useConsent } from './consent.tsx'
import { ClientRequestContext } from './lead.tsx'
import { entryQuery, factorTicketKey } from './login.api.ts'
import { useLoginText } from './login.text.ts'
import { loginMethods, offeredMethods, offersWechat } from './login-methods.tsx'
import { OtherMethods } from './other-methods.tsx'

// Rarely needed parts are loaded on demand.
const ClientLogin = lazy(() => import('../client/client-login.tsx'))
const ConfirmAccount = lazy(() => import('./confirm-account.tsx'))
const SecondStep = lazy(() => import('../second/second-step.tsx'))
const PasskeyWay = lazy(() => import('../passkey/passkey-way.tsx'))
const WechatChoice = lazy(() => import('../wechat/wechat-choice.tsx'))
const WechatOutcome = lazy(() => import('../wechat/wechat-outcome.tsx'))
const WechatWay = lazy(() => import('../wechat/wechat-way.tsx'))

export default function LoginPage() {
  const { pathname, search } = useLocation()
  const asked =
    pathname === pages.secondStep ? (new URLSearchParams(search).get('source') ?? undefined) : sourceIn(pathname)
  const page = <Login asked={asked} />
  return asked?.startsWith('/oidc/') ? <ClientLogin source={asked}>{page}</ClientLogin> : page
}

function Login({ asked }: { asked: string | undefined }) {
  const text = useLoginText().login
  usePageTitle(text.title)
  const client = useQueryClient()
  const inWeChat = useDevice(isWeChat)
  const wechatEnabled = useSite((site) => site.wechatEnabled)
  const [signedIn, setSignedIn] = useState(false)
  const [bind, setBind] = useState(true)
  const { user, waiting } = useUser()
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  const { again } = use(ClientRequestContext)
  const entry = useQuery(entryQuery(asked))
  const [outcome, setOutcome] = useState(new URLSearchParams(search).get('wechat'))
  // The ticket of the second step: in the address, so that it survives a reload.
  const ticket = /^#([\w-]{20,128})$/.exec(hash)?.[1]
  // A user who is just back from WeChat isn't sent there again.
  const [cameBack] = useState(outcome !== null || ticket !== undefined)
  const lost = entry.isError || (cameBack && entry.data?.startsWith('/api/'))
  const source = again ?? (lost ? pages.user : entry.data)
  const mayGoFirst = inWeChat && wechatEnabled && entry.isPending

  const end = signedIn
    ? source && afterLogin({ inWeChat, wechatEnabled, bind, source })
    : again
      ? undefined
      : user && source
  const leavingTo = source?.startsWith('/api/') ? source : end
  useLeave(leavingTo)

  const finish = () => {
    setSignedIn(true)
    sendUpPreference()
    void client.resetQueries({ queryKey: visitorQuery.queryKey })
  }
  /** The new account is bound to WeChat already. */
  const finishBound = () => {
    setBind(false)
    finish()
  }
  const goOn = ({ ticket, ...known }: FactorRequired) => {
    client.setQueryData(factorTicketKey(ticket), known)
    void navigate({ pathname, search, hash: ticket }, { replace: true })
  }
  const restart = (reason?: string) => {
    setOutcome(reason ?? null)
    void navigate({ pathname, search }, { replace: true })
  }
  if (leavingTo !== undefined || signedIn || waiting || mayGoFirst) return <LoadingScreen />
  const bindBox = inWeChat && wechatEnabled && (
    <Checkbox checked={bind} onChange={setBind}>
      {text.bind}
    </Checkbox>
  )
  if (ticket) {
    return (
      <Entry beside>
        <Suspense>
          <SecondStep key={ticket} ticket={ticket} onSignedIn={finish} onBack={restart} />
        </Suspense>
      </Entry>
    )
  }
  return (
    <Entry beside>
      {outcome === 'choose' ? (
        <Suspense>
          <WechatChoice onBind={() => setOutcome('')} onSignedIn={finishBound} onFactor={goOn} />
        </Suspense>
      ) : (
        <>
          <Suspense>{outcome && <WechatOutcome outcome={outcome} />}</Suspense>
          <Methods bindBox={bindBox} source={source ?? pages.user} onSignedIn={finish} onFactor={goOn} />
        </>
      )}
    </Entry>
  )
}

/** Own pages are routed, anything else is a navigation; a page restored from the back/forward cache is reloaded. */
function useLeave(address: string | undefined) {
  const navigate = useNavigate()
  useEffect(() => {
    if (address === undefined) return
    if (isOwnPage(address)) void navigate(address, { replace: true })
    else if (isBinding(address))
      void import('../../../identity/wechat/open-wechat.ts').then((way) => way.openWechat(address))
    else window.location.assign(address)
    const thaw = ({ persisted }: PageTransitionEvent) => persisted && window.location.reload()
    window.addEventListener('pageshow', thaw)
    return () => window.removeEventListener('pageshow', thaw)
  }, [address, navigate])
}

interface Props {
  bindBox: React.ReactNode
  source: string
  onSignedIn: () => void
  onFactor: (required: FactorRequired) => void
}

/** The forms, one at a time, and what a user has typed into them. */
function Methods({ bindBox, source, onSignedIn, onFactor }: Props) {
  const inWeChat = useDevice(isWeChat)
  const wanted = useSite((site) => site.methods)
  const byTap = useSite((site) => site.wechatEnabled) && inWeChat && offersWechat(wanted)
  const methods = offeredMethods(wanted, inWeChat)
  const device = useDevice()
  const request = use(ClientRequestContext)
  const [number, setNumber] = useState(() =>
    openingNumber(lastReceiver('login') ?? request.receiver, regionOf(device), device.regions),
  )
  const [chosen, setChosen] = useState(request.method)
  const [ticket, setTicket] = useState<string>()
  const [startFailure, setStartFailure] = useState<Failure<'mobile'>>()
  const passkeys = usePasskeys()
  const inFields = usePasskeysInFields()
  const consent = useConsent()
  const firstField = useRef<HTMLInputElement>(null)
  const method = methods.find((each) => each === chosen) ?? methods[0]
  const Form = method && loginMethods[method].form

  useEffect(() => {
    if (chosen) firstField.current?.focus()
  }, [chosen])

  const restart = (failure?: Failure<'mobile'>) => {
    setTicket(undefined)
    setStartFailure(failure)
  }
  const choose = (way: LoginMethod) => {
    setStartFailure(undefined)
    setChosen(way)
  }
  if (ticket) {
    return (
      <Suspense>
        <ConfirmAccount
          ticket={ticket}
          agreements={consent.version}
          onSignedIn={onSignedIn}
          onFactor={onFactor}
          onBack={restart}
        />
      </Suspense>
    )
  }
  // The form isn't blocked by the button's chunk.
  const wechatWay = (
    <Suspense fallback={<span className="way-to-come" />}>
      <WechatWay source={source} consent={consent} />
    </Suspense>
  )
  const passkeyWay = passkeys && (
    <Suspense fallback={<span className="way-to-come whole" />}>
      <PasskeyWay consent={consent} inFields={inFields && method !== 'wechat'} onSignedIn={onSignedIn} />
    </Suspense>
  )
  return (
    <>
      {Form && (
        <Form
          consent={consent}
          bindBox={bindBox}
          firstField={firstField}
          passkeys={inFields}
          number={number}
          startFailure={startFailure}
          onNumber={setNumber}
          onConfirm={setTicket}
          onSignedIn={onSignedIn}
          onFactor={onFactor}
        />
      )}
      <OtherMethods
        passkey={passkeyWay}
        first={byTap && wechatWay}
        methods={methods.filter((each) => each !== method)}
        onChoose={choose}
      />
      {consent.dialog}
    </>
  )
}
