# Gives nginx the DNS server and the search domain of the cluster, so that it resolves the services while it runs and can
# start before they exist. Usage: start.sh NGINX
while read -r key first _; do
  case $key/$first in
    nameserver/*:*) servers="${servers:-} [$first]" ;;
    nameserver/*) servers="${servers:-} $first" ;;
    search/*) domain=$first ;;
  esac
done </etc/resolv.conf
printf 'resolver%s valid=5s;\nmap "" $domain { default "%s"; }\n' "$servers" "$domain" >/tmp/dns.conf

# Kubernetes sends TERM, on which nginx drops requests; QUIT completes them first.
trap 'kill -QUIT "$nginx"' TERM
"$@" -e stderr -c /etc/dtplatform/gateway/nginx.conf &
nginx=$!
while kill -0 "$nginx" 2>/dev/null; do wait "$nginx"; done
