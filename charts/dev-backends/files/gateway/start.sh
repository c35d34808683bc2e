# nginx knows neither the cluster's DNS server nor its search domains; names are looked up while it runs, so that it
# starts before the services do. Usage: start.sh NGINX
while read -r key first _; do
  case $key/$first in
    nameserver/*:*) servers="${servers:-} [$first]" ;;
    nameserver/*) servers="${servers:-} $first" ;;
    search/*) domain=$first ;;
  esac
done </etc/resolv.conf
printf 'resolver%s valid=5s;\nmap "" $domain { default "%s"; }\n' "$servers" "$domain" >/tmp/dns.conf

# QUIT lets requests end; TERM, which Kubernetes sends, would cut them off.
trap 'kill -QUIT "$nginx"' TERM
"$@" -e stderr -c /etc/dtplatform/gateway/nginx.conf &
nginx=$!
while kill -0 "$nginx" 2>/dev/null; do wait "$nginx"; done
