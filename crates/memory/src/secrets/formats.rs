//! The table of known credential formats: the only place that names one.
//!
//! A format is recognised by its own spelling (a prefix, a shape) or by the
//! place it stands in (a header, a URL), never by how random it looks.

/// One known credential format.
pub(super) struct Format {
    /// Stable name, shown to the caller.
    pub(super) name: &'static str,
    /// Pattern in byte mode: every class and `\b` is ASCII. A group `v` marks
    /// the value when the rest of the match only says where it stands.
    pub(super) pattern: &'static str,
    /// A literal the text must hold before the pattern is tried. Formats that
    /// start with a wide class have one: in the shared automaton they would
    /// be live at every byte of every text.
    pub(super) needs: Option<&'static str>,
    /// What a match must satisfy besides the pattern.
    pub(super) guard: Guard,
}

/// What a match must satisfy besides the pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// The spelling is distinctive; only filled-in blanks pass.
    Spelling,
    /// Only the place is distinctive: words that documentation puts there
    /// pass too.
    Place,
    /// As `Place`, and the value must mix letters and digits, because
    /// ordinary words stand in that place as well.
    Mixed,
}

const fn spelled(name: &'static str, pattern: &'static str) -> Format {
    Format {
        name,
        pattern,
        needs: None,
        guard: Guard::Spelling,
    }
}

const fn gated(name: &'static str, needs: &'static str, pattern: &'static str) -> Format {
    Format {
        name,
        pattern,
        needs: Some(needs),
        guard: Guard::Spelling,
    }
}

const fn placed(name: &'static str, guard: Guard, pattern: &'static str) -> Format {
    Format {
        name,
        pattern,
        needs: None,
        guard,
    }
}

/// Every known format, by group. Repetitions are bounded, so that one pass
/// over the longest text stays linear.
pub(super) const FORMATS: &[Format] = &[
    // Keys in files. A header alone is prose or code; a body makes it a key.
    spelled(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r){0,8}(?:[A-Za-z-]{2,30}: [^\r\n\\]{0,120}(?:\s|\\n|\\r){1,6}){0,5}[A-Za-z0-9+/]{30}",
    ),
    spelled(
        "putty_private_key",
        r"PuTTY-User-Key-File-[0-9]: ?[a-z0-9-]{5,30}",
    ),
    spelled("age_secret_key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}"),
    spelled(
        "age_plugin_identity",
        r"\bAGE-PLUGIN-[A-Z0-9]{2,20}-1[A-Z0-9]{40,100}",
    ),
    // Clouds.
    spelled(
        "aws_access_key_id",
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
    ),
    spelled(
        "aws_secret_access_key",
        r#"(?i)\baws_?(?:secret_?(?:access_?)?key|session_?token)["']?\s{0,4}[:=]\s{0,4}["']?[a-z0-9/+]{40}"#,
    ),
    spelled(
        "google_api_key",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>AIza[0-9A-Za-z_-]{35})",
    ),
    spelled("google_oauth_client_secret", r"\bGOCSPX-[A-Za-z0-9_-]{28}"),
    spelled("google_access_token", r"\bya29\.[A-Za-z0-9_-]{30}"),
    spelled(
        "google_refresh_token",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>1//0[A-Za-z0-9_-]{40})",
    ),
    spelled("azure_storage_key", r"(?i)\bAccountKey=[A-Za-z0-9+/]{86}=="),
    spelled(
        "azure_shared_access_key",
        r"(?i)\bSharedAccessKey=[A-Za-z0-9+/]{43}=",
    ),
    gated(
        "azure_client_secret",
        "Q~",
        r"(?:^|[^A-Za-z0-9_~.-])(?P<v>[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:$|[^A-Za-z0-9_~-])",
    ),
    spelled(
        "alibaba_access_key_id",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>LTAI[A-Za-z0-9]{20})\b",
    ),
    spelled(
        "tencent_secret_id",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>AKID[A-Za-z0-9]{32})\b",
    ),
    spelled("digitalocean_token", r"\bdo[opr]_v1_[0-9a-f]{64}"),
    spelled("heroku_api_key", r"\bHRKU-[A-Za-z0-9_-]{30}"),
    spelled("cloudflare_api_token", r"\bcf(?:k|ut|at)_[A-Za-z0-9]{40}"),
    spelled(
        "cloudflare_origin_ca_key",
        r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{140}",
    ),
    spelled("vercel_token", r"\bvc[pciark]_[A-Za-z0-9]{24}"),
    spelled("netlify_token", r"\bnf[pcoub]_[A-Za-z0-9]{36}"),
    spelled(
        "fly_token",
        r"\b(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/=_-]{60})",
    ),
    spelled("render_api_key", r"\brnd_[A-Za-z0-9]{28}"),
    spelled(
        "supabase_key",
        r"\b(?:sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{22})",
    ),
    spelled(
        "planetscale_token",
        r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32}",
    ),
    spelled("neon_api_key", r"\bnapi_[a-z0-9]{60}"),
    spelled(
        "tailscale_key",
        r"\btskey-[a-z]{3,10}-[A-Za-z0-9]{6,20}-[A-Za-z0-9]{20}",
    ),
    spelled("pulumi_token", r"\bpul-[0-9a-f]{40}\b"),
    gated(
        "terraform_cloud_token",
        ".atlasv1.",
        r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60}",
    ),
    spelled("vault_token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24}"),
    spelled(
        "doppler_token",
        r"\bdp\.(?:pt|ct|st|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40}",
    ),
    spelled(
        "onepassword_service_token",
        r"\bops_eyJ[A-Za-z0-9+/=_-]{100}",
    ),
    // Forges and package registries.
    spelled("github_token", r"\bgh[pousr]_[A-Za-z0-9]{36}"),
    spelled(
        "github_fine_grained_token",
        r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    ),
    spelled(
        "gitlab_token",
        r"\bgl(?:pat|dt|ptt|rt|rtr|oas|cbt|imt|agent|ft|soat|ffct)-[A-Za-z0-9_-]{20}",
    ),
    spelled(
        "gitlab_runner_registration",
        r"\bGR1348941[A-Za-z0-9_-]{20}",
    ),
    spelled(
        "bitbucket_app_password",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>ATBB[A-Za-z0-9]{32})\b",
    ),
    spelled("atlassian_api_token", r"\bAT[AC]TT3[A-Za-z0-9_=-]{50}"),
    spelled("npm_token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    spelled("pypi_token", r"\bpypi-AgE[A-Za-z0-9_-]{50}"),
    spelled(
        "crates_io_token",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>cio[A-Za-z0-9]{32})\b",
    ),
    spelled("rubygems_key", r"\brubygems_[0-9a-f]{48}"),
    spelled(
        "nuget_key",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>oy2[a-z0-9]{43})\b",
    ),
    spelled("docker_token", r"\bdckr_[po]at_[A-Za-z0-9_-]{27}"),
    spelled("jfrog_api_key", r"\bAKCp[A-Za-z0-9]{69}\b"),
    spelled(
        "sourcegraph_token",
        r"\bsgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}\b",
    ),
    spelled("buildkite_token", r"\bbk[a-z]{1,2}_[0-9a-f]{40}\b"),
    spelled(
        "circleci_token",
        r"\bCCIPAT_[A-Za-z0-9]{10,30}_[0-9a-f]{40}",
    ),
    // Chat.
    spelled(
        "slack_token",
        r"\bxox[abcdeoprs](?:\.xox[a-z])?-[0-9A-Za-z-]{20}",
    ),
    spelled(
        "slack_app_token",
        r"\bxapp-[0-9]-[A-Z0-9]{6,16}-[0-9]{6,20}-[0-9a-f]{30}",
    ),
    spelled(
        "slack_webhook",
        r"\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{5,16}/[A-Z0-9]{5,20}/(?P<v>[A-Za-z0-9]{16,64})",
    ),
    spelled(
        "discord_token",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>[MNO][ADTQgjwyz][A-Za-z0-9_-]{22,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})\b",
    ),
    spelled(
        "discord_webhook",
        r"\bdiscord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{17,20}/(?P<v>[A-Za-z0-9_-]{60})",
    ),
    spelled(
        "teams_webhook",
        r"\.webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}",
    ),
    gated(
        "telegram_bot_token",
        ":AA",
        r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b",
    ),
    // Payment and shops.
    spelled("stripe_key", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16}"),
    spelled("webhook_signing_secret", r"\bwhsec_[A-Za-z0-9+/=]{24}"),
    spelled("square_token", r"\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22}"),
    spelled(
        "square_access_token",
        r"(?:^|[^A-Za-z0-9+/_-])(?P<v>EAAA[lE][A-Za-z0-9_-]{59})\b",
    ),
    spelled(
        "paypal_braintree_token",
        r"\baccess_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    spelled(
        "shopify_token",
        r"\bshp(?:at|ca|pa|ss|tka|ua)_[0-9a-fA-F]{32}",
    ),
    // Model providers and their surroundings.
    spelled("anthropic_key", r"\bsk-ant-[A-Za-z0-9_-]{20}"),
    spelled(
        "openai_project_key",
        r"\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20}",
    ),
    spelled("openrouter_key", r"\bsk-or-(?:v1-)?[0-9a-f]{40}"),
    spelled(
        "langfuse_key",
        r"\bsk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}",
    ),
    spelled(
        "openai_key",
        r"(?:^|[^A-Za-z0-9_-])(?P<v>sk-[A-Za-z0-9]{32})",
    ),
    spelled("hugging_face_token", r"\b(?:hf_|api_org_)[A-Za-z0-9]{34}"),
    spelled("replicate_token", r"\br8_[A-Za-z0-9]{37}"),
    spelled("groq_key", r"\bgsk_[A-Za-z0-9]{40}"),
    spelled("perplexity_key", r"\bpplx-[A-Za-z0-9]{40}"),
    spelled("xai_key", r"\bxai-[A-Za-z0-9]{60}"),
    spelled("nvidia_key", r"\bnvapi-[A-Za-z0-9_-]{60}"),
    spelled("together_key", r"\btgp_v1_[A-Za-z0-9_-]{40}"),
    spelled("cerebras_key", r"\bcsk-[a-z0-9]{48}\b"),
    spelled("elevenlabs_key", r"\bsk_[0-9a-f]{48}\b"),
    spelled("tavily_key", r"\btvly-(?:dev-|prod-)?[A-Za-z0-9]{32}"),
    spelled(
        "firecrawl_key",
        r"(?:^|[^A-Za-z0-9_-])(?P<v>fc-[0-9a-f]{32})\b",
    ),
    spelled(
        "langsmith_key",
        r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
    ),
    spelled("e2b_key", r"\be2b_[0-9a-f]{40}\b"),
    spelled("pinecone_key", r"\bpcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40}"),
    spelled("jina_key", r"\bjina_[0-9a-f]{32}[A-Za-z0-9_-]{20}"),
    spelled("mem0_key", r"(?:^|[^A-Za-z0-9_-])(?P<v>m0-[A-Za-z0-9]{30})"),
    spelled("zero_memory_token", r"\btok_[0-9a-f]{64}\b"),
    // Mail and messages.
    spelled(
        "sendgrid_key",
        r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    ),
    spelled(
        "mailgun_key",
        r"(?:^|[^A-Za-z0-9_-])(?P<v>key-[0-9a-f]{32})\b",
    ),
    gated("mailchimp_key", "-us", r"\b[0-9a-f]{32}-us[0-9]{1,2}\b"),
    spelled(
        "brevo_key",
        r"\bx(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}",
    ),
    spelled("resend_key", r"\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    spelled("twilio_api_key", r"\bSK[0-9a-f]{32}\b"),
    // Data platforms and observability.
    spelled("databricks_token", r"\bdapi[0-9a-f]{32}(?:-[0-9])?\b"),
    spelled(
        "grafana_token",
        r"\b(?:glc_[A-Za-z0-9+/=]{32}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8})",
    ),
    spelled("grafana_legacy_key", r"\beyJrIjoi[A-Za-z0-9+/=]{70}"),
    spelled("new_relic_key", r"\bNR(?:AK|II|IQ|RA)-[A-Za-z0-9_-]{27}"),
    spelled(
        "sentry_token",
        r"\b(?:sntrys_eyJ[A-Za-z0-9+/=_-]{60}|sntryu_[0-9a-f]{64})",
    ),
    spelled(
        "dynatrace_token",
        r"\bdt0[a-z]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
    ),
    spelled("posthog_key", r"\bphx_[A-Za-z0-9_]{43}"),
    spelled("honeycomb_key", r"\bhc[abx]ik_[A-Za-z0-9]{28,58}"),
    // Work tools.
    spelled(
        "notion_token",
        r"\b(?:ntn_[A-Za-z0-9]{40}|secret_[A-Za-z0-9]{43}\b)",
    ),
    spelled("linear_key", r"\blin_(?:api|oauth)_[A-Za-z0-9]{32}"),
    spelled("figma_token", r"\bfig[dour]{1,2}_[A-Za-z0-9_-]{40}"),
    spelled("airtable_token", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    spelled("postman_key", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    spelled(
        "hubspot_token",
        r"\bpat-(?:na|eu|ap)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    spelled("contentful_token", r"\bCFPAT-[A-Za-z0-9_-]{43}"),
    spelled("dropbox_token", r"\bsl\.(?:u\.)?[A-Za-z0-9_-]{130}"),
    gated(
        "asana_token",
        "/",
        r"\b[0-9]/[0-9]{15,17}(?:/[0-9]{15,17})?:[0-9a-f]{32}\b",
    ),
    spelled(
        "mapbox_secret_token",
        r"\bsk\.eyJ[A-Za-z0-9_-]{20,250}\.[A-Za-z0-9_-]{20}",
    ),
    // Recognised by shape or place, whoever issued them.
    spelled(
        "json_web_token",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20}",
    ),
    Format {
        name: "url_password",
        pattern: r#"(?i)\b[a-z][a-z0-9+.-]{1,30}://(?P<u>[^\s/?#@:"'<>`]{0,128}):(?P<v>[^\s/?#@"'`]{1,256})@[^\s@/]"#,
        needs: Some("://"),
        guard: Guard::Place,
    },
    Format {
        name: "go_dsn_password",
        pattern: r"(?P<u>[A-Za-z0-9_.-]{1,64}):(?P<v>[^\s@/:]{1,128})@(?:tcp|tcp6|unix)\(",
        needs: Some("@"),
        guard: Guard::Place,
    },
    placed(
        "dsn_password",
        Guard::Place,
        r#"(?i)\b(?:server|data source|host|addr|address|account)\s?=\s?[^;\s]{1,120}[;\s][^\r\n]{0,200}?\b(?:password|pwd)\s?=\s?["']?(?P<v>[^;\s"']{1,128})"#,
    ),
    placed(
        "url_query_credential",
        Guard::Mixed,
        r"(?i)[?&#](?:x-amz-signature|x-goog-signature|signature|sig|(?:x-amz-security|access|auth|id|refresh|session|user|private|bot|reset|invite|login|magic|jwt|client|app|api|share)?[_-]?(?:token|secret|api[_-]?key)|password|passwd|pwd|ticket|otp)=(?P<v>[a-z0-9_.~%+/=-]{16,})",
    ),
    placed(
        "authorization_header",
        Guard::Mixed,
        r#"(?i)\bauthorization["']?\s{0,4}[:=,]\s{0,4}["']?(?:bearer|basic|token|digest|apikey|api-key|bot|negotiate|sso-key)\s{1,4}(?P<v>[a-z0-9._~+/=-]{8,})"#,
    ),
    placed(
        "bearer_token",
        Guard::Mixed,
        r"(?i)\bbearer\s{1,4}(?P<v>[a-z0-9._~+/=-]{24,})",
    ),
    placed(
        "key_header",
        Guard::Mixed,
        r#"(?i)\b(?:x-[a-z-]{0,20}(?:api-?key|auth|token|secret)|x-functions-key|api-key|apikey|private-token|job-token|dd-(?:api|application)-key|ocp-apim-subscription-key|circle-token)["']?\s{0,4}:\s{0,4}["']?(?P<v>[a-z0-9._~+/=-]{12,})"#,
    ),
    placed(
        "session_cookie",
        Guard::Mixed,
        r"(?i)\b(?:set-)?cookie:\s{0,4}[^\r\n]{0,400}?(?:sess|sid|auth|token|jwt|csrf|remember)[a-z0-9_.-]{0,40}=(?P<v>[a-z0-9._~%+/=:-]{16,})",
    ),
    placed(
        "vendor_variable",
        Guard::Mixed,
        r#"(?i)\b(?:aws|azure|cloudflare|cf|cohere|datadog|dd|digitalocean|do|fly|gitlab|github|heroku|mailgun|mistral|netlify|newrelic|new_relic|npm|openai|anthropic|gemini|google|huggingface|hf|sentry|snowflake|stripe|twilio|vercel|voyage)_(?:[a-z]{2,20}_){0,3}(?:token|key|secret|password|passwd)["']?\s{0,4}[:=]\s{0,4}["']?(?P<v>[a-z0-9_+/=~-]{20,})"#,
    ),
    placed(
        "npmrc_auth_token",
        Guard::Mixed,
        r"(?i)_auth(?:token)?\s{0,4}=\s{0,4}(?P<v>[a-z0-9_.+/=-]{16,})",
    ),
    placed(
        "netrc_password",
        Guard::Place,
        r"(?i)\bmachine\s{1,4}[a-z0-9.-]{3,120}\s{1,8}login\s{1,4}[^\s]{1,120}\s{1,8}password\s{1,4}(?P<v>[^\s]{4,256})",
    ),
    placed(
        "curl_user_password",
        Guard::Place,
        r#"(?i)\bcurl\b[^\r\n]{0,300}?\s(?:-u|--user|-U|--proxy-user)[\s=]{0,4}["']?(?P<u>[^\s:"']{1,64}):(?P<v>[^\s"']{4,256})"#,
    ),
];
